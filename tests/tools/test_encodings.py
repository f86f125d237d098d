# ruff: noqa: RUF001  the letters of other languages are meant
from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.tools.text.encoding import FALLBACKS, Unencodable, as_text
from handrail.tools.text.guessing import WIDE

SIMPLIFIED = "# 配置文件的读取和写入\ndef read(path): return None  # 如果文件不存在，就返回默认值\n"
CLASSICAL = (
    "昔者庄周梦为胡蝶，栩栩然胡蝶也，自喻适志与，不知周也。俄然觉，则蘧蘧然周也。周与胡蝶，则必有分矣。此之谓物化。"
)
TRADITIONAL = "設定檔的讀取與寫入。如果檔案不存在，就傳回預設值。使用者名稱或密碼錯誤，請重新輸入。"
JAPANESE = "# 設定ファイルを読み込みます。ファイルが存在しない場合は、デフォルト値を返します。\n"
KOREAN = "설정 파일을 읽고 씁니다. 파일이 없으면 기본값을 반환합니다. 사용자 이름 또는 비밀번호가 잘못되었습니다."
RUSSIAN = "Чтение и запись файла настроек. Если файла нет, возвращается значение по умолчанию."
GREEK = "Το αρχείο ρυθμίσεων δεν βρέθηκε. Παρακαλώ δοκιμάστε ξανά."
HEBREW = "הקובץ לא נמצא. נסה שוב מאוחר יותר."
ARABIC = "لم يتم العثور على الملف. حاول مرة أخرى لاحقا."
LICENCE = "# Licensed under the terms below.\n" * 2_000
"""Longer than what is looked at."""

RECOGNISED = [
    ("gbk", "gb18030", SIMPLIFIED),
    ("gb2312", "gb18030", SIMPLIFIED),
    ("gb18030", "gb18030", SIMPLIFIED + "\U0001f680 ㄅ"),
    ("gbk", "gb18030", CLASSICAL),
    ("gbk", "gb18030", TRADITIONAL),
    ("gbk", "gb18030", LICENCE + SIMPLIFIED),
    ("gbk", "gb18030", SIMPLIFIED * 1_000),
    ("big5", "big5", TRADITIONAL),
    ("shift_jis", "cp932", JAPANESE),
    ("cp932", "cp932", JAPANESE + "①"),
    ("cp932", "cp932", "東京都港区 サーバー エラー"),
    ("euc_jp", "euc_jp", JAPANESE),
    ("euc_kr", "cp949", KOREAN),
    ("cp1251", "cp1251", RUSSIAN),
    ("koi8_r", "koi8_r", RUSSIAN),
    ("cp1253", "cp1253", GREEK),
    ("cp1255", "cp1255", HEBREW),
    ("cp1256", "cp1256", ARABIC),
]


@pytest.mark.parametrize(("written", "known", "text"), RECOGNISED, ids=range(len(RECOGNISED)))
def test_what_is_certain_is_recognised(written: str, known: str, text: str) -> None:
    file = as_text(text.encode(written))
    assert file is not None
    assert (file.encoding, file.text) == (known, text)
    assert file.to_file(file.body) == text.encode(written)


WESTERN = [
    "Créé à l'été où les élèves étaient très zélés : ça coûte 5 ¢ à Noël, déjà prévu.",
    "Größe der Übertragung prüfen; Maßnahmen für Änderungen ändern",
    "¿Cuántos años tenía el niño? ¡Qué pingüino!",
    "Não há configurações disponíveis para o usuário, então são padrão",
    "Åäö är på väg över ån; då får vi gå",
    "Pääkäyttäjän määrittämä hyväksyntä täällä ääni",
    "éé àà ÄÖ ÜÜ ßß öö ää",
    "ÄÖÜÄÖÜß ÀÉÈÊ ÉÉÉÉ ÔÔÔÔ ÇÇÇÇ",
    "½¼¾ °C ±5µm × ÷",
    "é",
]


@pytest.mark.parametrize("text", WESTERN)
def test_a_western_text_is_never_taken_for_one_of_another_script(text: str) -> None:
    file = as_text(text.encode("cp1252"))
    assert file is not None
    assert (file.encoding, file.text) == ("latin-1", text)


@pytest.mark.parametrize(
    ("data", "encoding", "text"),
    [
        ("“Œuvre” — l’été… €5".encode("cp1252"), "cp1252", "“Œuvre” — l’été… €5"),
        (b"caf\xe9 \x81", "latin-1", "caf\xe9 \x81"),
        ("你好".encode("gbk"), "latin-1", "ÄãºÃ"),
    ],
    ids=["windows's own letters", "a byte that windows has no letter for", "too little to be certain"],
)
def test_what_is_not_certain_is_read_byte_by_byte(data: bytes, encoding: str, text: str) -> None:
    file = as_text(data)
    assert file is not None
    assert (file.encoding, file.text) == (encoding, text)


@pytest.mark.parametrize("encoding", WIDE)
@pytest.mark.parametrize("text", ["int main() {}\n", "# Größe 名 \U0001f680\nplain text\n"])
def test_wide_text_without_a_mark_is_recognised_where_most_of_it_is_plain(encoding: str, text: str) -> None:
    file = as_text(text.encode(encoding))
    assert file is not None
    assert (file.encoding, file.text, file.mark) == (encoding, text, b"")
    assert file.to_file(file.body) == text.encode(encoding)


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b\0c",  # not whole
        b"\0\0\0\0",
        b"a\0b\0",  # too short to be certain
        b"\x01\0\x02\0\x03\0\x04\0\x05\0",
        b"\x7fELF\x02\x01\x01\0\0\0\0\0",
        bytes(range(1, 256)) * 40,  # what is compressed need not have a NUL
        "名前を付けて保存\n".encode("utf-16-le"),
        "plain text\0and a control".encode("utf-16-le"),
        codecs.BOM_UTF16_LE + b"a",
    ],
)
def test_what_may_be_anything_is_binary(data: bytes) -> None:
    assert as_text(data) is None


@given(st.binary())
def test_whatever_bytes_are_taken_for_gives_the_same_bytes_back(data: bytes) -> None:
    file = as_text(data)
    if file is not None:
        assert file.to_file(file.body) == data
        assert file.body == file.encode(file.text)


@given(st.sampled_from(RECOGNISED), st.text(max_size=20), st.integers(min_value=0))
def test_text_put_into_a_file_leaves_every_other_byte(case: tuple[str, str, str], added: str, at: int) -> None:
    written, _, text = case
    file = as_text(text.encode(written))
    assert file is not None
    at %= len(text) + 1
    try:
        new = file.encode(added)
    except Unencodable:
        return
    body = file.encode(text[:at]) + new + file.encode(text[at:])
    assert file.to_file(body) == text[:at].encode(written) + added.encode(file.encoding) + text[at:].encode(written)


@pytest.mark.parametrize("case", RECOGNISED, ids=lambda case: case[1])
def test_a_character_that_the_encoding_lacks_is_named(case: tuple[str, str, str]) -> None:
    written, known, text = case
    file = as_text(text.encode(written))
    assert file is not None
    if known != "gb18030":
        with pytest.raises(Unencodable, match="\U0001f680"):
            file.encode("a \U0001f680")


def test_every_name_for_people_is_one() -> None:
    names = [file.name for case in RECOGNISED if (file := as_text(case[2].encode(case[0])))]
    assert names[0] == "GB18030"
    assert not any("_" in name for name in names)
    assert FALLBACKS == ("cp1252", "latin-1")
