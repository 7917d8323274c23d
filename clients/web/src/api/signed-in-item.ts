/** In the local storage while somebody is signed in, so that pages know it before the session has been read. */
export const SIGNED_IN_ITEM = 'fleet.signed-in';
