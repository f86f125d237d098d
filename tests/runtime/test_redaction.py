from __future__ import annotations

import json
import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.settings.placeholders import placeholders_in
from handrail.settings.redaction import Redactor

TABLE = tomllib.loads(files("handrail.settings").joinpath("redaction.toml").read_text("utf-8"))
NOTHING_KNOWN = Redactor({})
LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"

# kind, text with the secret between « and »: so that no line here has the shape of a real one.
EXAMPLES = [
    ("private-key", "key: «-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----» and more"),
    ("private-key", "«-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl and the end was cut off»"),
    ("private-key", "«-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----»"),
    ("github-token", f"git clone with «ghp_{LETTERS}{LETTERS[:9]}»."),
    ("github-token", f"_«github_pat_11ABC_{LETTERS}»"),
    ("gitlab-token", f"«glpat-{LETTERS}»"),
    ("anthropic-key", f"ANTHROPIC «sk-ant-api03-{LETTERS}»"),
    ("api-key", f"'«sk-proj-{LETTERS}»'"),
    ("aws-key", "id «AKIAIOSFODNN7EXAMPLE» in"),
    ("slack-token", "«xoxb-123456789012-abcdefABCDEF»"),
    ("slack-token", "«xapp-1-A0123456789-0123456789»"),
    ("slack-webhook", "https://hooks.slack.com/services/«T00000000/B00000000/XXXXXXXXXXXX»"),
    ("google-key", f"?key=«AIza{LETTERS}{LETTERS[:8]}»&x"),
    ("google-key", f"«ya29.{LETTERS}»"),
    ("azure-key", f"AccountName=me;AccountKey=«{LETTERS * 2}==»;Endpoint"),
    ("stripe-key", f"«sk_live_{LETTERS}»"),
    ("npm-token", f"«npm_{LETTERS}{LETTERS[:9]}»"),
    ("pypi-token", f"«pypi-AgEIcHlwaS5vcmc{LETTERS}»"),
    ("huggingface-token", f"«hf_{LETTERS}{LETTERS[:7]}»"),
    ("sendgrid-key", f"«SG.{LETTERS[:22]}.{LETTERS}»"),
    ("vault-token", f"«hvs.{LETTERS}»"),
    ("digitalocean-token", f"«dop_v1_{'0123456789abcdef' * 4}»"),
    ("databricks-token", f"«dapi{'0123456789abcdef' * 2}»"),
    ("telegram-token", f"bot«123456789:AA{LETTERS}{LETTERS[:6]}»"),
    ("age-key", f"«AGE-SECRET-KEY-1{LETTERS.upper() * 2}»"),
    ("jwt", "cookie is «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-_DEF»"),
    ("authorization", "curl -H 'Authorization: Bearer «abc.def-123»' x"),
    ("authorization", '{"authorization": "Basic «dXNlcjpwYXNz»"}'),
    ("authorization", f"sent Bearer «{LETTERS}» once"),
    ("cookie", "Set-Cookie: «session=abcdef; HttpOnly»\r\nNext: 1"),
    ("url-password", "postgres://ada:«s3cr3t!»@db:5432/x"),
    ("url-password", "redis://:«hunter2»@cache/0"),
    ("password", "DB_PASSWORD=«hunter2-long» psql"),
    ("password", 'api_key: "«abcdef123456»"'),
    ("password", '{"client_secret": "«abcdef123456»", "id": 1}'),
    ("password", "mysql --password «hunter2x» -u root"),
    ("password", "curl -u ada:«hunter2» https://example.org"),
]

HARMLESS = [
    "The tokens of this file are counted; the password field is empty.",
    "task-with-a-name-that-is-long-enough-for-a-key",
    "https://example.org/path?token_type=x",
    "user@example.org wrote: secret=",
    "git commit -m 'Ask for a password' --token-file x",
    "class Token: pass",
    "ssh://git@example.org/repo.git",
    "sha256:" + "0123456789abcdef" * 4,
    "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
]


@pytest.mark.parametrize(("kind", "marked"), EXAMPLES, ids=[f"{kind}-{n}" for n, (kind, _) in enumerate(EXAMPLES)])
def test_a_secret_is_replaced_by_its_kind_and_all_around_it_stays(kind, marked):
    before, rest = marked.split("«")
    _, after = rest.split("»")
    text = marked.replace("«", "").replace("»", "")
    redacted = NOTHING_KNOWN.text(text)
    assert redacted == f"{before}[redacted:{kind}]{after}"
    assert NOTHING_KNOWN.text(redacted) == redacted


def test_every_shape_of_the_table_has_an_example_and_a_source():
    assert {shape["kind"] for shape in TABLE["shapes"]} == {kind for kind, _ in EXAMPLES}
    assert all(shape["source"] for shape in TABLE["shapes"])


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text):
    assert NOTHING_KNOWN.text(text) == text


VALUE = "correct horse battery"
NAMES = {
    "GITHUB_TOKEN": True,
    "AWS_SECRET_ACCESS_KEY": True,
    "db_password": True,
    "OPENAI_API_KEY": True,
    "OPENAI_APIKEY": True,
    "SENTRY_DSN": True,
    "MYSQL_PWD": True,
    "GH_PAT": True,
    "NPM_CONFIG__AUTH": True,
    "GOOGLE_CREDENTIALS": True,
    "PWD": False,
    "OLDPWD": False,
    "KEYBOARD": False,
    "PATH": False,
    "PATIENCE": False,
    "SSH_AUTH_SOCK": False,
    "SECRETS_DIR": False,
    "AWS_WEB_IDENTITY_TOKEN_FILE": False,
    "GIT_CONFIG_KEY_0": False,
    "EDITOR": False,
}


@pytest.mark.parametrize(("name", "is_secret"), NAMES.items(), ids=NAMES)
def test_the_value_of_a_variable_is_secret_when_its_name_says_so(name, is_secret):
    redacted = Redactor({name: VALUE}).text(f"say {VALUE}!")
    assert redacted == (f"say [redacted:${name}]!" if is_secret else f"say {VALUE}!")


ODD = 'two\nlines, "quoted" \\ and é'


@pytest.mark.parametrize(
    "written",
    [ODD, json.dumps(ODD), json.dumps(ODD, ensure_ascii=False), "two%0Alines%2C%20%22quoted%22%20%5C%20and%20%C3%A9"],
    ids=["as it is", "JSON in ASCII", "JSON", "URL"],
)
def test_a_known_value_is_found_in_every_form_in_which_it_is_written(written):
    redacted = Redactor({"A_TOKEN": ODD}).text(f"x {written} y")
    assert redacted.replace('"', "") == "x [redacted:$A_TOKEN] y"


def test_a_short_value_is_a_word_like_any_other():
    assert Redactor({"PASSWORD": "letmein"}).text("letmein") == "letmein"


def test_of_two_values_the_one_that_holds_the_other_goes_first():
    redactor = Redactor({"A_TOKEN": "abcdefgh", "B_TOKEN": "abcdefgh-and-more"})
    assert redactor.text("abcdefgh-and-more abcdefgh") == "[redacted:$B_TOKEN] [redacted:$A_TOKEN]"


def test_a_value_is_no_pattern():
    redactor = Redactor({"A_TOKEN": "a.c*(e|f)["})
    assert redactor.text("a.c*(e|f)[ abcceeee") == "[redacted:$A_TOKEN] abcceeee"


def test_marked_values_are_secret_at_any_length():
    assert Redactor({}).knowing(["7", ""]).text("at 7 and 17") == "at [redacted:marked] and 1[redacted:marked]"


PIECES = st.lists(
    st.one_of(
        st.sampled_from([text.replace("«", "").replace("»", "") for _, text in EXAMPLES]),
        st.sampled_from(["password=", "Bearer ", "abcdefgh", "://a:", "@", " ", "\n", "-----BEGIN PRIVATE KEY-----"]),
        st.text(st.characters(), max_size=12),
    ),
    max_size=8,
)


@given(pieces=PIECES)
def test_no_known_value_is_left_whatever_stands_around_it(pieces):
    text = "".join(pieces)
    assert "abcdefgh" not in Redactor({"A_TOKEN": "abcdefgh"}).text(text)


@given(text=st.text(st.characters(), max_size=200))
def test_a_text_without_secrets_stays_as_it_is(text):
    redacted = NOTHING_KNOWN.text(text)
    assert redacted == text or placeholders_in(redacted)


def test_half_a_surrogate_pair_does_not_stop_it():
    assert NOTHING_KNOWN.text("\ud800 AKIAIOSFODNN7EXAMPLE") == "\ud800 [redacted:aws-key]"
    assert Redactor({}).knowing(["\ud800"]).text("a \ud800") == "a [redacted:marked]"
    assert Redactor({"A_TOKEN": "abc\udcffdefgh"}).text("abc\udcffdefgh") == "[redacted:$A_TOKEN]"


def test_placeholders_are_found_again():
    redacted = NOTHING_KNOWN.text(f"ghp_{LETTERS}{LETTERS} and password=hunter2x")
    assert placeholders_in(redacted) == ["[redacted:github-token]", "[redacted:password]"]
    assert placeholders_in("a [redacted] list[redacted:]") == []
