/**
 * Temporary files that a signal must not leave behind.
 */
#ifndef CLI_CLEANUP_H
#define CLI_CLEANUP_H

/** From now on SIGINT, SIGTERM, SIGHUP and SIGPIPE remove the files added before they end the command; ignored ones stay ignored. */
void cleanup_install(void);

/** Holds these signals back while files and their list change. Does not nest. */
void cleanup_hold(void);
void cleanup_release(void);

/** Adds a file, whose name must live until it is removed from the list. Returns its slot. */
int cleanup_add(const char *path);

/** Takes the file in a slot off the list; the file itself stays. */
void cleanup_remove(int slot);

#endif
