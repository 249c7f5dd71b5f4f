/** Rolls back as the command does, and gives back what came of it: for the chat, which says so in its own place. */
export const ROLL_BACK_IN_CHAT = '_mcpl.rollBackInChat';
