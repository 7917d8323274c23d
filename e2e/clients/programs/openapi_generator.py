import os

from openapi_client import ApiClient, ApiException, Configuration
from openapi_client.api.agents_api import AgentsApi
from openapi_client.api.leases_api import LeasesApi
from openapi_client.api.registry_api import RegistryApi
from openapi_client.api.tasks_api import TasksApi
from openapi_client.models import AgentInput, AgentLeaseRequest, TaskFieldsSkillsInner, TaskInput, TaskResult

name, key = os.environ["NAME"], {"apiKeyHeader": os.environ["FLEET_KEY"]}
api = ApiClient(Configuration(host=os.environ["FLEET_URL"], api_key=key))
agents_api, tasks_api, leases_api = AgentsApi(api), TasksApi(api), LeasesApi(api)

agent = agents_api.create_agent(AgentInput(name=name, type=os.environ["FLEET_TYPE"]))
agents = agents_api.list_agents(fields="paused_at", name=name)
tasks_api.create_task(agent.id, TaskInput(message="Do it", skills=[TaskFieldsSkillsInner("plan")]))
(task,) = tasks_api.list_agent_tasks(agent.id, fields="status,skills")
lease = leases_api.lease_agent_tasks(agent.id, AgentLeaseRequest(worker_id=name)).leases[0]
done = leases_api.put_lease_result(lease.id, TaskResult(token=lease.token, status="completed"))
skills = RegistryApi(api).get_catalogue(q="review", limit=1).skills
try:
    tasks_api.create_task(agent.id, TaskInput(message="Again", retry_of="missing"))
except ApiException as refused:
    code = refused.data.error
skill = task.skills[0].actual_instance
print(len(agents), task.status, skill, lease.task.message, done.status, len(skills), code)
