"""The newer C# in sources that Mono's compiler refuses is named by its line."""

import pytest

from aptix_conformance.systems.aptix.dotnet_syntax import newer_syntax


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("            using var reader = new StringReader(text);", "`using var` (C# 8)"),
        ("            await using StreamReader reader = Open();", "`using var` (C# 8)"),
        ("        private string _text = default!;", "`default!` (C# 8)"),
        ("        public string Text { get; set; } = null!;", "`default!` (C# 8)"),
        ("#nullable enable", "`#nullable` (C# 8)"),
        ("        private string? _text;", "`nullable annotation` (C# 8)"),
        ("            return kind switch { 1 => 2, _ => 3 };", "`switch expression` (C# 8)"),
        ("public sealed record Place(string Name);", "`record` (C# 9)"),
        ("            if (found is not null)", "`is not` (C# 9)"),
        ("namespace Acme.Tools;", "`file-scoped namespace` (C# 10)"),
        ("global using System;", "`global using` (C# 10)"),
        ("        private readonly List<string> _names = [];", "`collection expression` (C# 12)"),
    ],
)
def test_newer_syntax_is_named(tmp_path, line, named):
    file = tmp_path / "tool.cs"
    file.write_text(f"using System;\n{line}\n")
    assert newer_syntax([file]) == f"{named} at tool.cs(2)"


@pytest.mark.parametrize(
    "line",
    [
        "            using (var reader = new StringReader(text))",
        "using Alias = System.String;",
        "using static System.Math;",
        "            switch (kind)",
        "            switch (kind) {",
        "namespace Acme.Tools",
        "            var y = x ? a : b;",
        "            int? count = null;",
        "            // using var reader = x;",
        "            a = default(string);",
        "            if (!default(bool)) { }",
        "            var record = new Record();",
    ],
)
def test_what_the_old_compiler_knows_is_not(tmp_path, line):
    file = tmp_path / "tool.cs"
    file.write_text(f"{line}\n")
    assert newer_syntax([file]) == ""


def test_few_pieces_are_named_once_each(tmp_path):
    one, other = tmp_path / "a.cs", tmp_path / "b.cs"
    one.write_text("string a = default!;\nstring b = default!;\n#nullable enable\n")
    other.write_text("global using X;\nnamespace Y;\nvar z = [];\nis not null;\n")
    found = newer_syntax([one, other, tmp_path / "gone.cs"])
    assert found.count("default!") == 1
    assert found.count(" at ") == 4
