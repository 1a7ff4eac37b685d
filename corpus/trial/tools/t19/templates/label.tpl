$street
$town
