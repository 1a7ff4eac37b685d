"""The rules of agent_list_modes, the one Aptix tool with a contract document of its own (TUL-010)."""
