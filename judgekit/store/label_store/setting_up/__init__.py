"""What is set up before anyone labels: projects, items, people, audit."""
