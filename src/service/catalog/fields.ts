/** Fields of the catalog file that several of its parts have. */
import * as z from 'zod/mini';

export const name = () => z.string().check(z.minLength(1), z.maxLength(256));
/** Up to thirty days. */
export const minutes = () => z.number().check(z.minimum(1), z.maximum(43_200));
