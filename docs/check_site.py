"""Follow every link of the built site: files and anchors must exist, and nothing may load from the network.

python docs/check_site.py docs/_build/html
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes that make a browser load something at once; links of ``a`` only lead somewhere.
LOADED = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src", "video": "src"}
#: Pages with no content of their own.
SKIPPED = {"genindex.html", "search.html", "py-modindex.html"}


class Page(HTMLParser):
    """Links, loaded files and anchors of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note what a tag refers to and what may be referred to."""
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(given[LOADED[tag]])


def read(root: Path) -> dict[Path, Page]:
    """All pages of the site."""
    return {
        path: Page(path.read_text(encoding="utf8"))
        for path in sorted(root.rglob("*.html"))
        if "_static" not in path.parts
    }


def problems(root: Path) -> list[str]:
    """What is wrong, a line each."""
    pages = read(root)
    found = []
    for path, page in pages.items():
        name = path.relative_to(root)
        found += [f"{name} loads {url}" for url in page.loaded if urlsplit(url).netloc]
        targets = page.links + [url for url in page.loaded if not url.startswith("data:")]
        found += [f"{name}: {url} {why}" for url in targets if (why := broken(url, path, pages))]
    return found + unknown_sources(root)


def unknown_sources(root: Path) -> list[str]:
    """Links of llms.txt that lead nowhere."""
    links = re.findall(r"\]\(([^)]+)\)", (root / "llms.txt").read_text(encoding="utf8"))
    return [f"llms.txt: {link} is not there" for link in links if not (root / link).exists()]


def broken(url: str, page: Path, pages: dict[Path, Page]) -> str:
    """Why a link leads nowhere; nothing if it does, or if it leaves the site."""
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        return ""
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return "is not there"
    fragment = unquote(parts.fragment)
    if fragment and target in pages and target.name not in SKIPPED and fragment not in pages[target].anchors:
        return "has no such anchor"
    return ""


def main() -> None:
    """Print what is wrong and exit with 1 if anything is."""
    found = problems(Path(sys.argv[1]).resolve())
    print(*found, sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
