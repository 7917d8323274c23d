import type { ConsoleMessage, Page, Request } from 'playwright-core';

/** The browser ends requests itself, when a page is left or an answer is no longer wanted. */
const ABORTED = 'net::ERR_ABORTED';
/** An interface of this machine came or went, such as one of Docker: the browser then ends all requests. */
const NETWORK_CHANGED = /net::ERR_NETWORK_CHANGED/;

/** Runs in the page, before its own scripts. */
const REPORT_VIOLATIONS = `
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    console.error('policy violation: ' + violatedDirective + ' ' + blockedURI + ' ' + sample));
`;

/** What a test provokes: problems that match are not counted. */
export type Allowed = readonly Pick<RegExp, 'test'>[];

/**
 * Collects what must not happen in a page: console errors and warnings, uncaught errors, violations of the content
 * security policy, requests to other origins, failed requests and dialogs.
 */
export async function collectProblems(page: Page, origin: string, allowed: Allowed): Promise<string[]> {
  const problems: string[] = [];
  const add = (problem: string) => {
    if (![...allowed, NETWORK_CHANGED].some((pattern) => pattern.test(problem))) problems.push(problem);
  };
  page.on('console', (message) => isProblem(message) && add(describeMessage(message)));
  page.on('pageerror', (error) => add(`uncaught: ${error.stack || error.message}`));
  page.on('request', (request) => isForeign(request, origin) && add(`foreign request: ${request.url()}`));
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    if (reason !== ABORTED) add(`failed request: ${request.url()} ${reason}`);
  });
  page.on('dialog', (dialog) => {
    add(`dialog: ${dialog.type()} ${dialog.message()}`);
    void dialog.dismiss().catch(() => undefined);
  });
  page.on('crash', () => add('the page crashed'));
  await page.addInitScript({ content: REPORT_VIOLATIONS });
  return problems;
}

function isProblem(message: ConsoleMessage): boolean {
  return message.type() === 'error' || message.type() === 'warning';
}

function describeMessage(message: ConsoleMessage): string {
  return `console ${message.type()}: ${message.text()} (${message.location().url})`;
}

function isForeign(request: Request, origin: string): boolean {
  const { protocol, origin: target } = new URL(request.url());
  return /^(https?|wss?):$/.test(protocol) && target !== origin;
}
