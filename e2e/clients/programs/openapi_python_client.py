import os

from fleet_client import AuthenticatedClient
from fleet_client.api.agents import create_agent, list_agents
from fleet_client.api.leases import lease_agent_tasks, put_lease_result
from fleet_client.api.registry import get_catalogue
from fleet_client.api.tasks import create_task, list_agent_tasks
from fleet_client.models import AgentInput, AgentInputType, AgentLeaseRequest, TaskInput, TaskResult, TaskResultStatus

name = os.environ["NAME"]
api = AuthenticatedClient(
    os.environ["FLEET_URL"], os.environ["FLEET_KEY"], prefix="", auth_header_name="X-API-Key", raise_on_unexpected_status=True
)

agent = create_agent.sync(client=api, body=AgentInput(name=name, type_=AgentInputType(os.environ["FLEET_TYPE"])))
agents = list_agents.sync(client=api, fields="paused_at", name=name)
create_task.sync(agent.id, client=api, body=TaskInput(message="Do it", skills=["plan"]))
(task,) = list_agent_tasks.sync(agent.id, client=api, fields="status,skills")
lease = lease_agent_tasks.sync(agent.id, client=api, body=AgentLeaseRequest(worker_id=name)).leases[0]
result = TaskResult(token=lease.token, status=TaskResultStatus.COMPLETED)
done = put_lease_result.sync(lease.id, client=api, body=result)
skills = get_catalogue.sync(client=api, q="review", limit=1).skills
code = create_task.sync(agent.id, client=api, body=TaskInput(message="Again", retry_of="missing")).error
print(len(agents), task.status, task.skills[0], lease.task.message, done.status, len(skills), code)
