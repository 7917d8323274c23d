// Some modules that import it are tested without a page.

/** What a reverse proxy removes from paths, such as `/fleet`; mostly empty. The gateway writes it into the page. */
export const PREFIX = globalThis.document?.documentElement.dataset.prefix ?? '';

/** The address of the fleet that serves this page. */
export const FLEET_URL = `${globalThis.location?.origin}${PREFIX}`;
