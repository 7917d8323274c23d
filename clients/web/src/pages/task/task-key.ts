export interface TaskKey {
  agentId: string;
  taskId: string;
}
