"""Errors as exceptions. Every class is derived from tcplan.Error and from the built-in exception
that describes the error best."""


class Error(Exception):
    """The base class of the errors that this package raises.

    `message` states the value found and the expected one. If one place of a text is wrong, `text`
    is that text, `column` the place, from 1, and `length` its length; printed, the place is marked
    under the text.
    """

    def __init__(self, message, text=None, column=0, length=1):
        super().__init__(message)
        self.message, self.text, self.column, self.length = message, text, column, max(length, 1)

    def __str__(self):
        if self.text is None or self.column < 1:
            return self.message
        return f"{self.message}\n  {self.text}\n  {' ' * (self.column - 1)}{'^' * self.length}"

    def __reduce__(self):
        return type(self), (self.message, self.text, self.column, self.length)


class InputError(Error, ValueError):
    """The input was refused: subscripts, shapes, types, a name, an algorithm that cannot run at
    these sizes."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory."""


class FailedError(Error, RuntimeError):
    """Something outside the arguments failed: the library is missing, a file cannot be read, or
    planning was cancelled."""


for _kind in (Error, InputError, OutOfMemoryError, FailedError):
    _kind.__module__ = "tcplan"  # the public module, as printed
