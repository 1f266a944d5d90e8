"""Projects, their versions and their items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from judgekit.model.item import Item
from judgekit.store.label_store.part import Part
from judgekit.store.label_store.records.setup import (
    GuidelineVersion,
    ItemImport,
    LabelSchema,
    Project,
    ProjectSettings,
    StoredItem,
)


class Projects(Part):
    """`store.projects`: open a project, change it, import items."""

    def create(self, project: Project, *, actor: str) -> Project:
        """Open a project (its `n_items` is ignored) and return it.

        Raises:
            InputError: there is one of that name, or its settings cannot be used.
        """
        raise NotImplementedError

    def get(self, name: str) -> Project:
        """Return a project with its newest schema and guideline.

        Raises:
            InputError: there is none of that name; the message lists what there is.
        """
        raise NotImplementedError

    def list(self, *, archived: bool = False) -> tuple[Project, ...]:
        """Return the projects by name, archived ones only when asked."""
        raise NotImplementedError

    def change_settings(self, name: str, settings: ProjectSettings, *, actor: str) -> Project:
        """Replace the settings; each changed one is an audit row with before and after."""
        raise NotImplementedError

    def change_schema(self, name: str, schema: LabelSchema, *, actor: str) -> Project:
        """Make the next schema version, unless nothing but `version` differs from the newest."""
        raise NotImplementedError

    def change_guideline(self, name: str, guideline: GuidelineVersion, *, actor: str) -> Project:
        """Make a guideline version. The same version with the same text changes nothing.

        Raises:
            InputError: the version exists with another text.
        """
        raise NotImplementedError

    def schemas(self, name: str) -> tuple[LabelSchema, ...]:
        """Return all schema versions, oldest first."""
        raise NotImplementedError

    def guidelines(self, name: str) -> tuple[GuidelineVersion, ...]:
        """Return all guideline versions, oldest first."""
        raise NotImplementedError

    def archive(self, name: str, *, archived: bool, actor: str) -> Project:
        """Put a project away, or bring it back. Nothing is deleted."""
        raise NotImplementedError

    def import_items(
        self,
        name: str,
        items: Iterable[Item],
        *,
        actor: str,
        source: str | None = None,
        designs: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> ItemImport:
        """Add items in one transaction; the same id with the same content is known.

        An id with other content is a conflict, and then nothing is written. `designs` gives the
        sampling design by item id where it is not the project's.
        """
        raise NotImplementedError

    def items(
        self, name: str, *, offset: int = 0, limit: int | None = None
    ) -> tuple[StoredItem, ...]:
        """Return items by id, whole (for leads, engineers and export; not for annotators)."""
        raise NotImplementedError

    def item(self, name: str, item_id: str) -> StoredItem:
        """Return one item, whole.

        Raises:
            InputError: the project has no item of that id.
        """
        raise NotImplementedError
