"""The five papers, claim by claim: what each says, what is measured here on real clips, and what differs and why."""
