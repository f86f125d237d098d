from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from handrail.policy.secrets import is_secret

SECRET = [
    ".env", "x/.env", ".env.local", ".env.production", "prod.env", ".ENV", "server.pem", "tls.key", "ID_RSA",
    "id_ed25519", "a.p12", "a.pfx", "a.keystore", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
    "credentials.json", "kubeconfig", "home/.ssh/config", "home/.ssh/id_other.pub", "h/.aws/credentials",
    "h/.docker/config.json", "h/.kube/config", "/etc/shadow", "h/.gnupg/x", ".env/",
]  # fmt: skip

OPEN = [
    ".env.example", ".env.sample", ".env.template", "x/.env.example", "env", "environment.py", "key.py", "monkey.txt",
    "pem.md", "credentials.py", "src/secrets.py", "docker/config.json", "ssh/config", "/etc/passwd", "shadow.css",
    "keyboard", ".envoy", "a.keys", "",
]  # fmt: skip


@pytest.mark.parametrize("path", SECRET)
def test_a_secret_file_is_known_by_its_name(path: str) -> None:
    assert is_secret(PurePosixPath(path))


@pytest.mark.parametrize("path", OPEN)
def test_an_ordinary_file_is_not_secret(path: str) -> None:
    assert not is_secret(PurePosixPath(path))


def test_an_example_in_a_folder_of_secrets_is_secret() -> None:
    assert is_secret(PurePosixPath("h/.ssh/.env.example"))
