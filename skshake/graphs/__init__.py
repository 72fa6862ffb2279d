"""Graphs of any kind, read once into flat arrays."""

from skshake.graphs._card import choose_drawn, drawings_of, size_facts
from skshake.graphs._check_schema import match_features
from skshake.graphs._checking import check_graphs, check_items, name_graph
from skshake.graphs._collection import (
    BINS_PER_OCTAVE,
    EXACT_DEGREES,
    Graph,
    GraphCollection,
    Structure,
    arcs_from_edges,
    bin_degrees,
    chunk_bounds,
    concatenate_graphs,
    concatenate_names,
    with_degree_feature,
    without_features,
)
from skshake.graphs._convert import as_graphs, as_list
from skshake.graphs._edgelist import graphs_from_edgelist
from skshake.graphs._errors import GraphProblem, InvalidGraphError, problems_of
from skshake.graphs._features import (
    CATEGORY,
    FLOAT,
    CastError,
    CategoricalRule,
    Features,
    Field,
    build_features,
    check_rule,
    empty_features,
    loses_digits,
)
from skshake.graphs._files import (
    check_version,
    names_as_arrays,
    names_of_arrays,
    read_npz,
    write_npz,
)
from skshake.graphs._from_edges import from_edges
from skshake.graphs._garbage import garbage_collection_paused
from skshake.graphs._ids import join_integers
from skshake.graphs._merging import from_arcs
from skshake.graphs._molecules import (
    as_molecule,
    graphs_from_records,
    graphs_from_smiles,
    parse_smiles,
    read_molecules,
    read_smiles_among,
    refuse_invalid,
)
from skshake.graphs._names import (
    NamedView,
    Names,
    names_of_graphs,
    names_of_nodes,
)
from skshake.graphs._ragged import as_graph_numbers, offsets, owner_of, rows_of
from skshake.graphs._readers import register_reader
from skshake.graphs._records import NO_NAMES
from skshake.graphs._standardize import standardize
from skshake.graphs._tables import items_of_column
from skshake.graphs._types import GraphLike, GraphsLike
from skshake.graphs._walks import return_probabilities, with_return_probabilities

__all__ = [
    "BINS_PER_OCTAVE",
    "CATEGORY",
    "EXACT_DEGREES",
    "FLOAT",
    "NO_NAMES",
    "CastError",
    "CategoricalRule",
    "Features",
    "Field",
    "Graph",
    "GraphCollection",
    "GraphLike",
    "GraphProblem",
    "GraphsLike",
    "InvalidGraphError",
    "NamedView",
    "Names",
    "Structure",
    "arcs_from_edges",
    "as_graph_numbers",
    "as_graphs",
    "as_list",
    "as_molecule",
    "bin_degrees",
    "build_features",
    "check_graphs",
    "check_items",
    "check_rule",
    "check_version",
    "choose_drawn",
    "chunk_bounds",
    "concatenate_graphs",
    "concatenate_names",
    "drawings_of",
    "empty_features",
    "from_arcs",
    "from_edges",
    "garbage_collection_paused",
    "graphs_from_edgelist",
    "graphs_from_records",
    "graphs_from_smiles",
    "items_of_column",
    "join_integers",
    "loses_digits",
    "match_features",
    "name_graph",
    "names_as_arrays",
    "names_of_arrays",
    "names_of_graphs",
    "names_of_nodes",
    "offsets",
    "owner_of",
    "parse_smiles",
    "problems_of",
    "read_molecules",
    "read_npz",
    "read_smiles_among",
    "refuse_invalid",
    "register_reader",
    "return_probabilities",
    "rows_of",
    "size_facts",
    "standardize",
    "with_degree_feature",
    "with_return_probabilities",
    "without_features",
    "write_npz",
]
