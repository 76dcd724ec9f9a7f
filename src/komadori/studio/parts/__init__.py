"""What the studio asks of each method: options from the scene in, an answer for the page out."""
