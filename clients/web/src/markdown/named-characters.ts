/** In the place of the package `character-entities`, which has the names of HTML 5. */
export { characterEntitiesHtml4 as characterEntities } from 'character-entities-html4';
