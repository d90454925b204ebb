"""Reads pages as a JSON list of {name, html, url} from standard input; prints what extruct finds, by their names."""

import json
import re
import sys

from extruct.jsonld import JsonLdExtractor
from extruct.opengraph import OpenGraphExtractor
from extruct.utils import parse_html
from extruct.w3cmicrodata import MicrodataExtractor

JSON_LD = JsonLdExtractor()


def json_ld_of(page):
    """Reads each script by itself: extruct gives none of a page where one is broken, or is in a mark of XML."""
    html = re.sub(r"<!\[CDATA\[|\]\]>", "", page["html"])
    found = []
    for script in JSON_LD._xp_jsonld(parse_html(html, encoding="UTF-8")):
        try:
            found += [item for item in JSON_LD._extract_items(script) if item]
        except ValueError:
            pass
    return found


def parts_of(page):
    return {
        "json_ld": json_ld_of(page),
        "microdata": MicrodataExtractor().extract(page["html"], base_url=page["url"]),
        "open_graph": OpenGraphExtractor().extract(page["html"]),
    }


json.dump({page["name"]: parts_of(page) for page in json.load(sys.stdin)}, sys.stdout)
