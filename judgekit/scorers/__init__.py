"""What code can check of an item or a trial: graders, and the scores of a trial they rest on."""
