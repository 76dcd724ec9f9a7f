"""Pictures of motions and timings: charts, printed sheets, figures; SVG, PNG, PDF and GIF."""
