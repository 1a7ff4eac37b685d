"""The tools of the sandbox of openai-agents: a shell and a viewer of images, in a folder of this machine."""

import asyncio

from agents.sandbox.capabilities.tools.shell_tool import ExecCommandTool, WriteStdinTool
from agents.sandbox.capabilities.tools.view_image import ViewImageTool
from agents.sandbox.sandboxes.unix_local import UnixLocalSandboxClient

_session = asyncio.run(UnixLocalSandboxClient().create())
tools = [ExecCommandTool(session=_session), WriteStdinTool(session=_session), ViewImageTool(session=_session)]
