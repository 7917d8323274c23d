import { type App, type RunningServer, type ServeOptions, serve } from '../http/serve.ts';

/** Serves an app on a free port of 127.0.0.1. */
export function listen(app: App, options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  return serve(app, { host: '127.0.0.1', port: 0, lifecycle: { stopping: false }, drainSeconds: 0, ...options });
}
