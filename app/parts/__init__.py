"""What the pages of the annotation app share."""
