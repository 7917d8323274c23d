"""Both clients against a running fleet."""

from __future__ import annotations

import threading
import time
from itertools import islice

import pytest

from agent_fleet import Fleet, FleetError
from agent_fleet.models import Agent, Task


def finish(task: Task, after: float = 0) -> threading.Thread:
    """Runs the next task of an agent in the background."""

    def work() -> None:
        with Fleet() as worker:
            time.sleep(after)
            (lease,) = worker.lease_agent_tasks(task["agent_id"], worker_id="w", max_tasks=1)
            worker.put_lease_result(lease["id"], token=lease["token"], status="completed", result={"done": True})

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_creates_reads_replaces_and_deletes_an_agent(fleet: Fleet) -> None:
    agent = fleet.create_agent(name="Ada ✨", type="claude")
    assert agent["status"] == "idle"
    assert fleet.get_agent(agent["id"]) == agent
    assert fleet.replace_agent(agent["id"], name="Eve", type="gpt")["name"] == "Eve"
    fleet.delete_agent(agent["id"])
    with pytest.raises(FleetError) as caught:
        fleet.get_agent(agent["id"])
    assert (caught.value.status, caught.value.code, caught.value.body) == (
        404,
        "not_found",
        {"detail": "Agent not found"},
    )


def test_an_etag_guards_a_change(fleet: Fleet, agent: Agent) -> None:
    stale = fleet.get_agent.reply(agent["id"]).etag
    fleet.replace_agent(agent["id"], name="Eve", type="claude", if_match=stale)
    with pytest.raises(FleetError) as caught:
        fleet.replace_agent(agent["id"], name="Bob", type="claude", if_match=stale)
    assert (caught.value.status, caught.value.code) == (412, "precondition_failed")


def test_an_invalid_request_names_its_fields(fleet: Fleet, agent: Agent) -> None:
    with pytest.raises(FleetError) as caught:
        fleet.create_task(agent["id"], message="", priority=11)
    error = caught.value
    assert (error.status, error.code) == (400, "validation_error")
    assert {field["path"] for field in error.fields} == {"message", "priority"}
    assert error.request_id is not None
    assert error.request_id in str(error)


@pytest.mark.parametrize("agent_id", ["no/such", "a?b#c", "%2e%2e", "é ✨", "a\nb", "x" * 300, "😀", "..;", "a%00"])
def test_an_id_stays_one_segment_of_the_path(fleet: Fleet, agent_id: str) -> None:
    with pytest.raises(FleetError) as caught:
        fleet.get_agent(agent_id)
    assert caught.value.status in (400, 404)
    assert not isinstance(caught.value.body, list)


@pytest.mark.parametrize("agent_id", ["", ".", ".."])
def test_an_id_that_would_change_the_path_is_refused(fleet: Fleet, agent_id: str) -> None:
    with pytest.raises(ValueError, match="id must not be"):
        fleet.get_agent(agent_id)


def test_the_same_idempotency_key_creates_one_task(fleet: Fleet, agent: Agent) -> None:
    ids = {fleet.create_task(agent["id"], message="Do it", idempotency_key="the-key")["id"] for _ in range(2)}
    assert len(ids) == 1
    assert fleet.create_task(agent["id"], message="Do it")["id"] not in ids


def test_paginate_reads_all_pages(fleet: Fleet, agent: Agent) -> None:
    results = fleet.create_tasks(agent["id"], [{"message": f"{at}"} for at in range(7)])["results"]
    assert [result["status"] for result in results] == [201] * 7
    page = fleet.list_agent_tasks(agent["id"], limit=3)
    assert (len(page), page.total) == (3, 7)
    messages = [task["message"] for task in fleet.paginate(fleet.list_agent_tasks, agent["id"], limit=3)]
    assert messages == [f"{at}" for at in range(7)]


def test_text_of_any_kind_arrives_as_it_was(fleet: Fleet, agent: Agent) -> None:
    given = {"text": 'é ✨ 😀 \x00 \x1f \\ "', "list": [1, 1.5, None, True]}
    task = fleet.create_task(agent["id"], message="Do it", input=given)
    assert fleet.get_task(agent["id"], task["id"])["input"] == given


def test_waits_for_a_task(fleet: Fleet, agent: Agent) -> None:
    task = fleet.create_task(agent["id"], message="Do it")
    thread = finish(task, after=0.5)
    assert fleet.wait_for_task(agent["id"], task["id"], timeout=30)["result"] == {"done": True}
    thread.join()


def test_a_wait_has_a_limit(fleet: Fleet, agent: Agent) -> None:
    task = fleet.create_task(agent["id"], message="Do it")
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        fleet.wait_for_task(agent["id"], task["id"], timeout=0.5)
    assert time.monotonic() - began < 3


def test_follows_the_events_of_a_task_to_its_end(fleet: Fleet, agent: Agent) -> None:
    task = fleet.create_task(agent["id"], message="Do it")
    thread = finish(task, after=0.5)
    types = [event["type"] for event in fleet.follow(fleet.list_task_events, agent["id"], task["id"])]
    assert types == ["task.created", "task.leased", "task.completed"]
    thread.join()


def test_continues_behind_an_event(fleet: Fleet, agent: Agent) -> None:
    task = fleet.create_task(agent["id"], message="Do it")
    finish(task).join()
    first, *rest = fleet.list_task_events(agent["id"], task["id"])
    assert [*fleet.follow(fleet.list_task_events, agent["id"], task["id"], after=first["id"])] == rest


def test_follows_the_events_of_the_fleet(fleet: Fleet, agent: Agent) -> None:
    (*_, last) = fleet.paginate(fleet.list_events, agent_id=agent["id"], limit=1000)
    fleet.create_task(agent["id"], message="Do it")
    (event,) = islice(fleet.follow(fleet.list_events, after=last["id"], agent_id=agent["id"]), 1)
    assert (event["type"], event.get("agent_id")) == ("task.created", agent["id"])


def test_a_bulk_action_cancels_what_a_filter_matches(fleet: Fleet, agent: Agent) -> None:
    fleet.create_tasks(agent["id"], [{"message": "Do it"}] * 3)
    matched = fleet.preview_bulk_action("cancel", {"agent_id": agent["id"]})["matched"]
    assert matched == 3
    action = fleet.create_bulk_action("cancel", {"agent_id": agent["id"], "status": ["pending"]})
    until(lambda: fleet.read_bulk_action(action["id"])["state"] == "completed")
    assert len(fleet.search_tasks(agent_id=agent["id"], status="cancelled")) == 3
    with pytest.raises(FleetError) as caught:
        fleet.stop_bulk_action(action["id"])
    assert caught.value.code == "bulk_action_ended"


def test_searches_skills(fleet: Fleet) -> None:
    page = fleet.list_skills(limit=5)
    assert len(page) == 5
    found = fleet.get_catalogue(limit=5, facets="category,kind")
    assert found["skills"] == page
    assert set(found["facets"]) == {"category", "kind"}
    assert (found["total"], found["next_cursor"] is None) == (page.total, False)
    assert fleet.get_skill(page[0]["id"])["name"] == page[0]["name"]
    names = [skill["id"] for skill in islice(fleet.paginate(fleet.list_skills, limit=4), 9)]
    assert len(set(names)) == 9
    assert fleet.list_categories()["categories"]


def test_refused_credentials_are_an_error(connect: object) -> None:
    client: Fleet = connect(api_key="wrong-key")  # type: ignore[operator]
    with pytest.raises(FleetError) as caught:
        client.list_agents()
    assert (caught.value.status, caught.value.code) == (403, "forbidden")


def until(holds: object, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.1)
