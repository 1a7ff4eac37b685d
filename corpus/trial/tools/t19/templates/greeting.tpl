Dear $name,
we meet on $day.
