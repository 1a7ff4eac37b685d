"""The toolset of pydantic-ai-todo, with one thing to do."""

from pydantic_ai_todo import Todo, TodoStorage, create_todo_toolset

_storage = TodoStorage()
_storage.todos = [Todo(id="1", content="buy bread", status="pending", active_form="buying bread")]
toolset = create_todo_toolset(_storage)
