"""The rules of the two Aptix tools that have a contract of their own: agent_list_modes (TUL-010) and agent_hello_world."""
