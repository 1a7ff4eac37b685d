"""Tools of langchain-community that query an SQLite database and a JSON document, and the one that sleeps."""

from langchain_community.tools.json.tool import JsonGetValueTool, JsonListKeysTool, JsonSpec
from langchain_community.tools.sleep.tool import SleepTool
from langchain_community.tools.sql_database.tool import (
    InfoSQLDatabaseTool,
    ListSQLDatabaseTool,
    QuerySQLDatabaseTool,
)
from langchain_community.utilities import SQLDatabase
from sqlalchemy import StaticPool, create_engine, text

_engine = create_engine("sqlite://", connect_args={"check_same_thread": False}, poolclass=StaticPool)
with _engine.begin() as _connection:
    _connection.execute(text("CREATE TABLE city (name TEXT PRIMARY KEY, people INTEGER)"))
    _connection.execute(text("INSERT INTO city VALUES ('Oslo', 717710), ('Rome', 2754719)"))
_database = SQLDatabase(_engine)
_spec = JsonSpec(dict_={"cities": [{"name": "Oslo", "people": 717710}]}, max_value_length=200)

tools = [
    InfoSQLDatabaseTool(db=_database),
    ListSQLDatabaseTool(db=_database),
    QuerySQLDatabaseTool(db=_database),
    JsonListKeysTool(spec=_spec),
    JsonGetValueTool(spec=_spec),
    SleepTool(),
]
