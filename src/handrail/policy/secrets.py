"""Which files hold secrets, by their names alone. Reading one is asked about, wherever it lies."""

from __future__ import annotations

import posixpath
from pathlib import PurePath

NAMES = frozenset((
    ".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".mylogin.cnf",
    ".git-credentials", ".htpasswd", ".dockercfg", ".s3cfg", ".boto", ".vault-token", ".terraformrc",
    "credentials.json", "credentials.toml", "application_default_credentials.json", "client_secret.json",
    "service-account.json", "service_account.json", "secrets.json", "secrets.yaml", "secrets.yml", "secrets.toml",
    "kubeconfig", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
))  # fmt: skip

BEGINNINGS = (".env.", "client_secret_")
ENDINGS = (
    ".env", ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk", ".tfvars", ".tfvars.json",
)  # fmt: skip

OPEN_NAMES = frozenset((
    ".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults", ".env.schema",
    "example.env", "sample.env", "template.env",
))  # fmt: skip
"""Made to be read: they look like secret files and hold none."""

FOLDERS = frozenset((".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".password-store", ".1password"))

PATHS = (
    "etc/shadow", "etc/gshadow", "etc/sudoers", "etc/ssl/private", ".docker/config.json", ".config/gcloud",
    ".config/gh/hosts.yml", ".config/git/credentials", ".config/containers/auth.json", ".cargo/credentials",
    ".gem/credentials", ".m2/settings.xml", ".local/share/keyrings", ".local/state/handrail", ".mozilla",
    ".config/google-chrome", ".config/chromium",
)  # fmt: skip
"""Files, and folders with all below them, that are secret below whatever they lie in."""


def is_secret(path: PurePath) -> bool:
    """True for a file that holds secrets by its name, or lies in a folder of secrets. Case doesn't matter."""
    return is_secret_name(path.as_posix())


def is_secret_name(path: str) -> bool:
    """The same for a path with slashes."""
    lowered = path.lower().rstrip("/")
    if not FOLDERS.isdisjoint(lowered.split("/")):
        return True
    enclosed = f"/{lowered}/"
    if any(f"/{part}/" in enclosed for part in PATHS):
        return True
    return is_secret_alone(posixpath.basename(lowered))


def is_secret_alone(name: str) -> bool:
    """The same for the last name of a path, in lower case, wherever it lies: its folders may say more."""
    if name in OPEN_NAMES:
        return False
    return name in NAMES or name.startswith(BEGINNINGS) or name.endswith(ENDINGS)
