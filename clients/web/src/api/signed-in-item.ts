/** In the local storage while somebody is signed in: the role, so that pages know it before the session is read. */
export const SIGNED_IN_ITEM = 'fleet.signed-in';
