"""The memory and SQL toolsets of pydantic-ai-toolbox, with something in each."""

from pydantic_ai_toolbox.toolsets.memory import MemoryToolset
from pydantic_ai_toolbox.toolsets.sql import SQLToolset
from sqlalchemy import StaticPool, text

memory = MemoryToolset()
memory.add_message("user", "I live in Oslo.")
memory.set_fact("city", "Oslo")
sql = SQLToolset(
    "sqlite://", engine_kwargs={"poolclass": StaticPool, "connect_args": {"check_same_thread": False}}
)
with sql.engine.begin() as _connection:
    _connection.execute(text("CREATE TABLE city (name TEXT PRIMARY KEY, people INTEGER)"))
    _connection.execute(text("INSERT INTO city VALUES ('Oslo', 717710), ('Rome', 2754719)"))
