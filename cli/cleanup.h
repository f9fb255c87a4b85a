/**
 * Temporary files that a signal must not leave behind.
 */
#ifndef CLI_CLEANUP_H
#define CLI_CLEANUP_H

/** From now on signals that end the command remove the files added before; ignored ones stay ignored. SIGKILL and crashes do not. */
void cleanup_install(void);

/** Holds these signals back while files and their list change. Does not nest. */
void cleanup_hold(void);
void cleanup_release(void);

/** Adds a file, whose name must live until it is removed from the list. Returns its slot. */
int cleanup_add(const char *path);

/** Takes the file in a slot off the list; the file itself stays. */
void cleanup_remove(int slot);

#endif
