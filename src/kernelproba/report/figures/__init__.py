"""Figures of the report: SVG elements coloured by the page's style sheet, so that they follow its theme."""
