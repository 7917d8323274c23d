import type { Command } from 'commander';
import type { Context, GlobalOptions } from './context.ts';
import type { ExitCode } from './errors.ts';

/** What the commands get from the one who runs them. */
export interface Runner {
  /** Arguments of `fleet worker`. */
  worker: readonly string[];
  open(options: GlobalOptions): Context;
  setExitCode(code: ExitCode): void;
  isJson: boolean;
}

/** Runs a command with its arguments and options. Its exit code, if it is not 0, is returned. */
export type Action<Arguments extends unknown[] = []> = (
  context: Context,
  ...rest: Arguments
) => Promise<ExitCode | undefined> | Promise<void>;

/** Adds the commands of a group. `act` turns an action into what commander calls. */
export type Register = (command: Command, act: Act) => void;
export type Act = <Arguments extends unknown[]>(action: Action<Arguments>) => (...all: unknown[]) => Promise<void>;
