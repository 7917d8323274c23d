/** An item of localStorage while somebody is signed in: the role, so that pages know it before they read the session. */
export const SIGNED_IN_ITEM = 'fleet.signed-in';
