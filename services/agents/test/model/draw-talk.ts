import type { Dice } from './dice.ts';
import type { ModelTask, TaskRef } from './entities.ts';
import type { Known, LeaseRef, Operation, RequestRef } from './operation.ts';
import { INTERRUPTION } from './talk.ts';
import * as operations from './talk-operations.ts';

/** Relative frequency of what people and workers say. */
export const TALK_WEIGHTS = {
  ask: 14,
  withdraw: 3,
  inbox: 6,
  answer: 14,
  say: 8,
  reportMessage: 5,
  interrupt: 5,
  confirm: 4,
  suspend: 6,
};
export type TalkKind = keyof typeof TALK_WEIGHTS;

const ALL = ['definitions', 'messages', 'steer', 'interrupt', 'input'];
/** What workers accept. */
export const ACCEPTS = [ALL, ALL, ALL, ['messages', 'input'], ['input'], ['messages'], []];
export const EVERYTHING = ALL;

export const ASKED = (['approval', 'question', 'question'] as const).flatMap((kind, at) =>
  [1, 2, 3].map((number) => ({ key: `${kind} ${at}.${number}`, kind, hasDefault: at === 1 })),
);

interface TalkSetting {
  known: Known;
  /** Text of a message. */
  name: string;
  readRequests(target: TaskRef): Promise<RequestRef[]>;
}

/** Draws what somebody says to a task, or its worker. */
export async function drawTalk(
  dice: Dice,
  kind: TalkKind,
  { held, task, target }: { held: LeaseRef | undefined; task: ModelTask | undefined; target: TaskRef },
  setting: TalkSetting,
): Promise<Operation | undefined> {
  const { pick, roll, oneIn } = dice;
  const { name, known } = setting;
  if (kind === 'say') return operations.say(target, name, pick(['queue', 'steer', 'interrupt']));
  if (kind === 'interrupt') return operations.interrupt(target);
  if (kind === 'answer') {
    const request = await drawRequest(dice, target, setting);
    if (!request) return undefined;
    const options = request.key.startsWith(INTERRUPTION) ? ['continue', 'continue', 'stop'] : ['allow', 'deny'];
    return operations.answer(target, request, { text: pick(options), isWrong: oneIn(12) });
  }
  if (!held) return undefined;
  if (kind === 'ask') {
    const asked = pick(ASKED);
    return operations.ask(held, { ...asked, hasDefault: oneIn(20) ? !asked.hasDefault : asked.hasDefault });
  }
  if (kind === 'withdraw') {
    const request = await drawRequest(dice, held, setting);
    return request && operations.withdraw(held, request);
  }
  if (kind === 'inbox') {
    const last = task?.talk.last ?? 0;
    return operations.readInbox(held, pick([undefined, last, roll(last + 1), last + 1]));
  }
  if (kind === 'reportMessage') {
    const said = pick(known.said.filter(({ taskId }) => taskId === held.taskId));
    return said && operations.reportMessage(held, said.messageId, pick([null, 'prompt', 'steer', 'interrupt']));
  }
  return kind === 'confirm' ? operations.confirm(held) : operations.suspend(held, oneIn(2));
}

/** Mostly an open one. */
async function drawRequest({ pick, oneIn }: Dice, target: TaskRef, { readRequests }: TalkSetting) {
  const requests = await readRequests(target);
  return pick(requests.filter(({ state }) => state === 'open' || oneIn(4)));
}
