"""No two modules import each other, at the top of a file or inside a function."""

import networkx as nx
import pytest


def test_there_is_no_circle():
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph(
        "skshake", exclude_type_checking_imports=True, cache_dir=None
    )
    imports = nx.DiGraph(
        (module, imported)
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    )
    assert len(imports) > 80
    circles = [c for c in nx.strongly_connected_components(imports) if len(c) > 1]
    assert not circles
