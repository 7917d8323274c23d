/** The text of `--help`. */
export const usageOf = (name: string) => `Usage: ${name} [options] --runtime <name>
       ${name} [options] --acp <program> [-- <arguments of the program>]
       ${name} [options] --exec <program> [-- <arguments of the program>]

Takes tasks from an agent fleet. With --runtime or --acp an agent works on each task, in a folder and an environment of
its own. With --exec a program runs once for each task: it reads the task from stdin as JSON and writes the result (JSON
or text) to stdout; any exit code but 0 is a failure, reported with the end of stderr.

What works on the tasks:
  --runtime <name>        claude-code, codex, gemini, opencode or copilot, as installed on this machine
  --acp <program>         any agent that speaks the Agent Client Protocol on stdin and stdout
  --exec <program>        any other program: a path or a name on PATH

Which tasks:
  --type <type>           take tasks of agents of this type; may be repeated; default: the type of the runtime, else all
  --agent <id>            take tasks of this agent only
  --concurrency <n>       tasks to run at the same time, default 1
  --once                  exit after one task
  --label <label>         what this worker has, such as gpu; may be repeated; default $FLEET_LABELS. By itself it says
                          os:, arch:, host: and runtime:<name>
  --definitions           with --exec: also tasks of agents with a definition, the field definition of the task

For agents (--runtime and --acp):
  --model <model>         for tasks that name none; default: the choice of the runtime
  --permissions <what>    read-only, edit (default: change the workspace and run commands) or full
  --approvals <who>       ask (default): people may permit what --permissions does not; or deny
  --i-am-isolated         allows --permissions full: nothing on this machine needs protection from the agent
  --repository <prefix>   tasks may name repositories whose URL begins so; may be repeated; default: none
  --skills <which>        verified (default), any or off: the skills of the fleet's registry that tasks may name
  --max-cost <usd>        limit of the model calls of one task, all attempts together; not with --acp
  --prices <file>         JSON with prices of models, added to the built-in ones
  --idle-seconds <n>      an agent that gives no sign of life for so long has failed, default 300
  --pass-env <name>       a variable of this environment that agents get too; may be repeated
  --secret-file <n>=<f>   a secret that definitions may name, and its file; may be repeated; or $FLEET_SECRET_<n>
  --mcp-command <program> definitions may start it as an MCP server, without a sandbox; may be repeated; default: none
  --provider-key-file <provider>=<file>
                          a key of anthropic, openai or google besides that of the environment; may be repeated: while
                          a provider takes no calls with one key, the next one goes on
  --runtime-path <path>   the program of the runtime, if it is not on PATH
  --workspaces <folder>   of all attempts, for one worker; default $XDG_STATE_HOME/agent-fleet/workers/<runtime>
  --keep-workspaces <w>   failed (default: for a week; sessions for a day), none or all

The worker:
  --lease-seconds <n>     lifetime of a lease without a heartbeat, 5 to 900, default 120
  --hold-seconds <n>      how long a program waits for a person before it is suspended, default 900
  --stop-seconds <n>      time for running tasks to finish after SIGTERM or Ctrl-C, default 30
  --worker-id <id>        name of this worker; default: one for each folder of workspaces, or <host>:<pid>-<random>
  --url <url>             URL of the fleet, default $FLEET_URL or http://localhost:8080
  --api-key <key>         default $FLEET_API_KEY; prefer it: other users of the machine can see arguments
  --help                  show this text

ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY has the key of the runtime's provider. It stays in the worker, which
forwards the model calls; agents get a key of their own for each attempt.
The environment of a program has FLEET_TASK_ID, FLEET_AGENT_ID and FLEET_ATTEMPT, and no FLEET_API_KEY. It may ask a
person and write to the log: fleet ask --help, fleet tell --help.
A failed task is retried by its retry policy, except after exit code 65 (EX_DATAERR) and errors that no retry mends.
Exit codes: 0 stopped, 1 fatal error, 2 wrong usage, or something is missing that every task needs.
`;
