"""PDF documents for tests, written object by object as ISO 32000-1 has them (7.5 file structure, 9.4 text)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def pdf(pages: Sequence[str], *, title: str = "", pictures: Mapping[int, int] | None = None) -> bytes:
    """A document whose pages show these ASCII texts. `pictures`: how many one-pixel ones a page, from 0, draws."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    for number, text in enumerate(pages):
        drawn = (pictures or {}).get(number, 0)
        shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        lines = " T* ".join(f"({line}) Tj" for line in shown.split("\n")) if text else ""
        content = f"BT /F1 12 Tf 14 TL 72 700 Td {lines} ET" + "".join(f" q /I{n} Do Q" for n in range(drawn))
        images = "".join(f"/I{n} 3 0 R " for n in range(drawn))
        first = 4 + len(kids) * 2
        kids.append(first)
        objects += [""] * (first + 1 - len(objects))
        objects[first - 1] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {first + 1} 0 R "
            f"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> "
            f"/XObject << {images}>> >> >>"
        )
        objects[first] = f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>"
    image = "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
    objects[2:3] = [f"{image} /Length 1 >>\nstream\nx\nendstream"]
    objects.append(f"<< /Title ({title}) >>")
    return _file(objects)


def _file(objects: Sequence[str]) -> bytes:
    data, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{len(data)}\n"
    return data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}%%EOF\n".encode()
