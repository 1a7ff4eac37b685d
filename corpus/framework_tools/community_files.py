"""The toolkit of langchain-community that reads and writes files below a folder."""

from langchain_community.agent_toolkits import FileManagementToolkit

toolkit = FileManagementToolkit(root_dir="docs")
