"""Laws of addresses: whatever is written, it is refused, or means the same to every parser that sees it later."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

import httpx2
from hypothesis import given
from hypothesis import strategies as st

from handrail.tools.web.address import BadAddress, parse
from handrail.tools.web.reach import why_not_ip

PIECES = st.sampled_from(
    [*"htps:/\\@?#[]%.-_ \t\r\n\0:;,&=+0123456789abcdefxABCX", "http://", "https://", "127.0.0.1", "::1", "localhost",
     "0x7f", "a.test", "xn--", "%2e", "%00", "。", "\uff11", "\u00df", "\u200d", "\ud7ff", "user:pw@", ":80", ":443"]
)  # fmt: skip
WRITTEN = st.lists(PIECES, max_size=14).map("".join)


@given(st.one_of(WRITTEN.map("http://{}".format), WRITTEN, st.text(max_size=40).map("https://{}/".format)))
def test_an_address_is_refused_or_means_one_thing(text: str) -> None:
    try:
        address = parse(text)
    except BadAddress:
        return
    written = str(address)
    assert parse(written) == address
    assert written.isascii()
    assert written.isprintable()
    other, standard = httpx2.URL(written), urlsplit(written)
    assert (other.raw_host.decode(), other.port or address.port) == (address.host, address.port)
    assert (standard.hostname, standard.port or address.port) == (address.host, address.port)
    assert (standard.username, standard.password, other.userinfo) == (None, None, b"")
    assert written.startswith(f"{address.scheme}://{address.authority}/")


@given(st.integers(0, 2**32 - 1))
def test_a_number_means_the_same_address_in_every_spelling(number: int) -> None:
    ip = ipaddress.IPv4Address(number)
    first, rest = number >> 24, number & 0xFFFFFF
    spellings = (
        ip,
        number,
        hex(number),
        f"0{number:o}",
        f"{first}.{rest}",
        f"{first:#x}.{rest}",
        f"0{first:o}.{rest:#x}",
    )
    assert {parse(f"http://{spelling}/").host for spelling in spellings} == {str(ip)}


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_within_an_ipv6_one_is_refused_where_it_is_by_itself(number: int) -> None:
    why = why_not_ip(ipaddress.IPv4Address(number))
    for prefix in ("::ffff:0:0", "64:ff9b::"):
        wrapped = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | number)
        assert why_not_ip(wrapped) == why
    assert why_not_ip(ipaddress.IPv6Address(number)) is not None
    assert why_not_ip(ipaddress.IPv6Address((0x2002 << 112) | (number << 80))) is not None


@given(st.ip_addresses(v=6))
def test_only_addresses_of_the_public_internet_are_reached(ip: ipaddress.IPv6Address) -> None:
    if why_not_ip(ip) is None:
        assert ip in ipaddress.ip_network("2000::/3") or ip in ipaddress.ip_network("64:ff9b::/96") or ip.ipv4_mapped


@given(st.ip_addresses(v=4))
def test_what_the_standard_library_knows_to_be_inside_is_refused(ip: ipaddress.IPv4Address) -> None:
    if ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_multicast or ip.is_reserved or ip.is_unspecified:
        assert why_not_ip(ip) is not None
