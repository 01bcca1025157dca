"""Every operation, and what carries it out."""

from typing import assert_never

from firstlight.manifests.draft import Draft
from firstlight.manifests.operations.arguments import remove_argument, set_argument
from firstlight.manifests.operations.container import add_container
from firstlight.manifests.operations.ending import set_grace_period, set_pre_stop
from firstlight.manifests.operations.environment import set_environment
from firstlight.manifests.operations.expectation import expect_cache
from firstlight.manifests.operations.model import set_model
from firstlight.manifests.operations.model_volume import remove_model_volume
from firstlight.manifests.operations.node_class import new_node_class
from firstlight.manifests.operations.object import add_object, set_field
from firstlight.manifests.operations.probe import set_probe
from firstlight.manifests.operations.volume import add_volume
from firstlight.techniques import operations as of


def perform(draft: Draft, operation: of.Operation) -> None:
    """
    Carry out one operation on the draft.

    Raises:
        BadInput: it cannot be done in these objects; the sentence says where and why.
    """
    match operation:
        case of.SetArgument():
            set_argument(draft, operation)
        case of.RemoveArgument():
            remove_argument(draft, operation)
        case of.SetModel():
            set_model(draft, operation)
        case of.SetEnvironment():
            set_environment(draft, operation)
        case of.AddVolume():
            add_volume(draft, operation)
        case of.RemoveModelVolume():
            remove_model_volume(draft)
        case of.AddInitContainer() | of.AddContainer():
            add_container(draft, operation)
        case of.SetProbe():
            set_probe(draft, operation)
        case of.SetPreStop():
            set_pre_stop(draft, operation)
        case of.SetGracePeriod():
            set_grace_period(draft, operation)
        case of.ExpectCache():
            expect_cache(draft)
        case of.AddObject():
            add_object(draft, operation)
        case of.SetField():
            set_field(draft, operation)
        case of.NewNodeClass():
            new_node_class(draft, operation)
        case _:
            assert_never(operation)
