#!/usr/bin/env python3
"""Draws a trace as a waterfall: waterfall.py TRACE.json > PICTURE.svg

TRACE.json is the body of a request of OTLP over HTTP, such as /v1/transactions/{hash}/trace.json. Nothing else is known here.
"""

import html
import json
import sys

LEFT, WIDTH, LINE, TOP = 420, 560, 24, 40
COLORS = ("#2f6f9f", "#7a4f9a", "#3d7f5f", "#9a6b2f", "#4f5f9a", "#7f3d5f")
ERROR = "#c0392b"


def spans_of(request):
    for resource in request["resourceSpans"]:
        service = next(each["value"]["stringValue"] for each in resource["resource"]["attributes"] if each["key"] == "service.name")
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                yield span | {"service": service, "from": int(span["startTimeUnixNano"]), "to": int(span["endTimeUnixNano"])}


def in_order(spans):
    """Depth first, children by their beginning, each with its depth."""
    known = {span["spanId"] for span in spans}
    below = {}
    for span in sorted(spans, key=lambda span: (span["from"], span["to"])):
        parent = span.get("parentSpanId")
        below.setdefault(parent if parent in known else None, []).append(span)

    def walk(parent, depth):
        for span in below.get(parent, []):
            yield span, depth
            yield from walk(span["spanId"], depth + 1)
    return list(walk(None, 0))


def drawn(request):
    rows = in_order(list(spans_of(request)))
    begin, end = min(span["from"] for span, _ in rows), max(span["to"] for span, _ in rows)
    services = sorted({span["service"] for span, _ in rows})
    at = lambda time: LEFT + (time - begin) / max(end - begin, 1) * WIDTH
    place = {span["spanId"]: TOP + LINE * row for row, (span, _) in enumerate(rows)}
    out = []
    for tick in range(5):
        time = begin + (end - begin) * tick // 4
        out.append(f'<text x="{at(time):.1f}" y="24" text-anchor="middle" fill="#555">{(time - begin) / 1e9:.2f} s</text>'
                   f'<path d="M{at(time):.1f} 32V{TOP + LINE * len(rows)}" stroke="#ddd"/>')
    for span, depth in rows:
        y, failed = place[span["spanId"]], span.get("status", {}).get("code") == 2
        color = ERROR if failed else COLORS[services.index(span["service"]) % len(COLORS)]
        says = f'{span["status"]["message"]}' if failed else ""
        out.append(f'<text x="{12 + 16 * depth}" y="{y + 16}"><tspan font-weight="bold" fill="{color}">{html.escape(span["service"])}</tspan> '
                   f'{html.escape(span["name"])}</text>'
                   f'<rect x="{at(span["from"]):.1f}" y="{y + 5}" width="{max(at(span["to"]) - at(span["from"]), 3):.1f}" height="{LINE - 10}" '
                   f'rx="2" fill="{color}"><title>{html.escape(span["name"] + " " + says)}</title></rect>')
        if says:
            out.append(f'<text x="{LEFT + WIDTH + 12}" y="{y + 16}" fill="{ERROR}">{html.escape(says[:60])}</text>')
        for link in span.get("links", []):
            if link["spanId"] in place:
                other = next(each for each, _ in rows if each["spanId"] == link["spanId"])
                out.append(f'<path d="M{at(other["to"]):.1f} {place[link["spanId"]] + LINE / 2} L{at(span["to"]):.1f} {y + LINE / 2}" '
                           f'stroke="#888" stroke-dasharray="3 3" fill="none"/>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 420}" height="{TOP + LINE * len(rows) + 12}" '
            f'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>{"".join(out)}</svg>\n')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as trace:
        print(drawn(json.load(trace)), end="")
