/** The environment variables that `fleet`, with `fleet worker`, reads; docs/configuration.md is made from it. */
export const FLEET_VARIABLES = {
  FLEET_URL: 'address of the fleet; default `http://localhost:8080`',
  FLEET_API_KEY: 'an API key',
  FLEET_API_KEY_FILE: 'a file with an API key',
  FLEET_TOKEN: 'a bearer token, in place of a key',
  FLEET_PROFILE: 'the profile of `fleet login`; default `default`',
  XDG_CONFIG_HOME: 'profiles are in `fleet/config.json` there; default `~/.config`',
  XDG_STATE_HOME: 'folder of the global lock file of skills, and of workspaces; default `~/.local/state`',
  XDG_CACHE_HOME: 'compiled code is in `fleet` there; default `~/.cache`',
  HTTP_PROXY: 'a proxy for http, and `HTTPS_PROXY` for https, with a Node that supports them (24)',
  NO_PROXY: 'hosts that are asked directly; this machine always is',
  NO_COLOR: 'no colours',
  CLICOLOR_FORCE: 'colours on a pipe too',
  TERM: '`dumb`: no colours and no live screen',
  ANTHROPIC_API_KEY: 'key of Claude Code, which stays in the worker; `ANTHROPIC_BASE_URL`: where its calls go',
  OPENAI_API_KEY: 'the same for Codex; `OPENAI_BASE_URL`',
  GEMINI_API_KEY: 'the same for Gemini CLI; `GOOGLE_GEMINI_BASE_URL`',
};
