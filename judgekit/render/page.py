"""What every HTML page shares: templates that escape, and refuse a name that is not there."""

from __future__ import annotations

from typing import Any

from judgekit.render.words import figure_text


def page_environment() -> Any:
    """Return a jinja2 environment of the package's templates, sandboxed, with `figure`."""
    from jinja2 import PackageLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        loader=PackageLoader("judgekit.render", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["figure"] = figure_text
    return environment
