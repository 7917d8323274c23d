/** An item of localStorage while somebody is signed in: the role, which pages need before they read the session. */
export const SIGNED_IN_ITEM = 'fleet.signed-in';
