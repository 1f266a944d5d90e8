"""One file per migration; a file that was released is never edited."""
