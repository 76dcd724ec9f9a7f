"""The methods: each a pure function from a Motion to a result that carries the product and the evidence."""
