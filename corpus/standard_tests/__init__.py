"""LangChain's standard tests on the LangChain tools of `frameworks.toml`, beside the suite."""
