"""Every error and warning of the package has a page that says what to do."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "docs" / "_ext"))
import message_pages

MESSAGES = message_pages.collect()
CURES = message_pages.cures(message_pages.CURES.read_text(encoding="utf8"))


def test_every_message_has_a_cure():
    helpless = [message.text for message in MESSAGES if not message_pages.cure_of(message, CURES)]
    assert helpless == []


def test_every_cure_belongs_to_a_message():
    assert [piece for piece in CURES if not any(piece in message.text for message in MESSAGES)] == []


def test_warnings_are_among_the_messages():
    assert {"ConvergenceWarning", "UserWarning"} <= {message.kind for message in MESSAGES}


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("tol is 3: raise it", "raise it"),
        ("shape is wrong; got …", ""),
        ("priors are wrong; got …. Leave them out", "Leave them out"),
        ("there is no file …: …", ""),
        ("nothing else", ""),
    ],
)
def test_what_a_message_advises_is_no_report_of_what_it_was_given(text, cure):
    assert message_pages.Message(text, "ValueError").own_cure == cure


def test_a_package_is_named_without_its_file():
    assert not [message for message in MESSAGES if "__init__" in "".join(message.modules)]
    assert "\n## kernelproba\n" in message_pages.pages()["index"]
